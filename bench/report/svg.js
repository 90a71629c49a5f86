/* Elements, scales and axes. */

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
let idCount = 0;

function setAttributes(element, attributes) {
	for (const [name, value] of Object.entries(attributes))
		element.setAttribute(name, value);
}

function svgNode(parent, name, attributes = {}) {
	const element = document.createElementNS(SVG_NAMESPACE, name);

	setAttributes(element, attributes);
	parent?.append(element);
	return element;
}

function svgText(parent, x, y, string, attributes = {}) {
	const element = svgNode(parent, "text", {x, y, ...attributes});

	element.textContent = string;
	return element;
}

/* What a pointer that rests on the element shows, and a screen reader says. */
function addTitle(element, string) {
	svgNode(element, "title").textContent = string;
}

function htmlNode(parent, name, string, attributes = {}) {
	const element = document.createElement(name);

	if (string !== undefined)
		element.textContent = string;
	setAttributes(element, attributes);
	parent?.append(element);
	return element;
}

/* An image with a name and a description for those who do not see it. */
function svgImage(parent, width, height, title, description) {
	const id = `image${idCount++}`;
	const svg = svgNode(parent, "svg", {
		viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
		"aria-labelledby": `${id}t ${id}d`,
	});

	svgNode(svg, "title", {id: `${id}t`}).textContent = title;
	svgNode(svg, "desc", {id: `${id}d`}).textContent = description;
	return svg;
}

/* --- scales: from a value to a place -------------------------------------------------------- */

function linearScale(from, to, start, end) {
	const place = value => start + (value - from) / (to - from || 1) * (end - start);

	place.ticks = linearTicks(from, to);
	return place;
}

function linearTicks(from, to, count = 6) {
	const rough = (to - from) / count || 1, power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough);
	const ticks = [];

	for (let i = Math.ceil(from / step); i * step <= to * (1 + 1e-9); i++)
		ticks.push(i * step);
	return ticks;
}

function logScale(from, to, start, end) {
	const place = value => start + Math.log(value / from) / Math.log(to / from) * (end - start);
	const wide = to / from > 300;

	place.ticks = [];
	for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; power++)
		for (const m of wide ? [1] : [1, 2, 5])
			if (m * 10 ** power >= from && m * 10 ** power <= to)
				place.ticks.push(m * 10 ** power);
	return place;
}

/* Logarithmic where values differ by so much that a linear one would hide the small ones. */
function timeScale(values, start, end) {
	const least = Math.min(...values), most = Math.max(...values);

	if (least > 0 && most / least > 15)
		return logScale(least / 1.2, most * 1.2, start, end);
	return linearScale(0, most > 0 ? most * 1.05 : 1, start, end);
}

/* Linear around 0 and logarithmic beyond `unit`, for errors of either sign. */
function symmetricLogScale(most, unit, start, end) {
	const squeeze = v => Math.sign(v) * Math.log10(1 + Math.abs(v) / unit);
	const top = squeeze(most), place = v => start + (squeeze(v) + top) / (2 * top) * (end - start);

	place.ticks = [0];
	for (let t = unit * 10; t <= most; t *= 100)
		place.ticks.push(t, -t);
	return place;
}

function formatTick(value) {
	return value.toLocaleString("en-US", {maximumSignificantDigits: 4}).replaceAll(",", "\u202f");
}

/* --- axes ------------------------------------------------------------------------------------ */

function drawXAxis(svg, scale, area, label, format = formatTick) {
	for (const tick of scale.ticks) {
		const x = scale(tick);

		svgNode(svg, "line", {x1: x, x2: x, y1: area.top, y2: area.bottom, class: "grid"});
		svgText(svg, x, area.bottom + 17, format(tick), {"text-anchor": "middle", class: "faint"});
	}
	svgNode(svg, "line", {
		x1: area.left, x2: area.right, y1: area.bottom, y2: area.bottom, class: "axis",
	});
	svgText(svg, area.right, area.bottom + 34, label, {"text-anchor": "end", class: "faint"});
}

function drawYAxis(svg, scale, area, label, format = formatTick) {
	for (const tick of scale.ticks) {
		const y = scale(tick);

		svgNode(svg, "line", {x1: area.left, x2: area.right, y1: y, y2: y, class: "grid"});
		svgText(svg, area.left - 8, y + 4, format(tick), {"text-anchor": "end", class: "faint"});
	}
	svgText(svg, area.left - 8, area.top - 10, label, {"text-anchor": "end", class: "faint"});
}

/* --- marks: a colour and a shape, so that neither is needed alone ------------------------------ */

function seriesColour(i) {
	return `var(--c${i % 11})`;
}

const SHAPES = [
	"M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z",
	"M-3.5,-3.5h7v7h-7Z",
	"M0,-4.6L4.4,3.4H-4.4Z",
	"M0,-5L5,0L0,5L-5,0Z",
];

function drawMark(parent, x, y, series) {
	return svgNode(parent, "path", {
		d: SHAPES[series % SHAPES.length], transform: `translate(${x},${y})`,
		fill: seriesColour(series),
	});
}

function drawLegend(parent, names, draw) {
	const list = htmlNode(parent, "ul", undefined, {class: "legend"});

	names.forEach((name, i) => {
		const item = htmlNode(list, "li");
		const svg = svgNode(item, "svg", {
			width: 12, height: 12, viewBox: "-6 -6 12 12", "aria-hidden": "true",
		});

		draw(svg, i);
		item.append(name);
	});
}
