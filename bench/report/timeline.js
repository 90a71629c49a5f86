/* When each VP was in which stage: lanes that zoom and move by mouse, wheel, buttons and keys. */

const LANES_LEFT = 64;
const LANES_AXIS = 26;
const ZOOM_LEAST_MS = 0.001;
const LANES_FIT = 560; /* px for all lanes together */
const LANE_TALL = 6;   /* px, high enough to point at */

/* As in the plot of the stages; what is no stage there gets a colour of its own. */
function spanColours(tracks) {
	const names = [...new Set(tracks.flatMap(track => track.spans.map(span => span[0])))];
	const others = {ready: "var(--rule)", SynIC: seriesColour(10)};

	return new Map(names.map(name => [
		name, STAGES.find(stage => stage.name === name.replace(" (modelled)", ""))?.colour ?? others[name] ?? "var(--faint)",
	]));
}

function trackText(track) {
	const facts = ["apic_id", "node", "package", "core", "lpj", "exits"]
		.filter(key => key in track).map(key => `${key.replace("_", " ")} ${track[key]}`);

	return `VP ${track.vp}: ${facts.join(", ")}`;
}

/* Everything between the first thing that a VP did and the last. */
function timelineRange(tracks) {
	const spans = tracks.flatMap(track => track.spans);
	const times = spans.length ? spans.flatMap(s => [s[1], s[2]])
				   : tracks.flatMap(track => track.instants.map(i => i[1]));
	const from = times.reduce((a, b) => Math.min(a, b), Infinity);
	const to = times.reduce((a, b) => Math.max(a, b), -Infinity);
	const margin = (to - from || 1) * 0.02;

	return {from: from - margin, to: to + margin};
}

/* The lanes are drawn once, in ms by lanes; a zoom changes their view box alone. */
function drawLanes(svg, tracks, colours) {
	tracks.forEach((track, lane) => {
		for (const [name, from, to] of track.spans) {
			const box = svgNode(svg, "rect", {
				x: from, y: lane + 0.1, width: to - from, height: 0.8, fill: colours.get(name),
			});

			addTitle(box, `VP ${track.vp}: ${name}, ${formatMs(to - from)}\n` +
				 `from ${from.toFixed(3)} to ${to.toFixed(3)} ms`);
		}
		for (const [name, at] of track.instants) {
			const line = svgNode(svg, "line", {
				x1: at, x2: at, y1: lane + 0.1, y2: lane + 0.9, stroke: "var(--ink)",
				"stroke-width": name === "online" && tracks.length < 200 ? 2 : 1,
				opacity: name === "online" ? 1 : 0.55,
				"vector-effect": "non-scaling-stroke",
			});

			addTitle(line, `VP ${track.vp}: ${name} at ${at.toFixed(3)} ms`);
		}
	});
}

class Timeline {
	/* isTall: lanes that can be pointed at, where all of them in one view are too low for that. */
	constructor(parent, cell, label, isTall = false) {
		const tracks = cell.timeline, fit = Math.min(18, LANES_FIT / tracks.length);

		this.full = timelineRange(tracks);
		this.view = {...this.full};
		this.lane = isTall ? Math.max(LANE_TALL, fit) : fit;
		this.height = this.lane * tracks.length;
		this.colours = spanColours(tracks);
		this.buildControls(parent);
		if (fit < LANE_TALL)
			this.addButton(isTall ? "All VPs" : "Tall lanes", () => {
				parent.replaceChildren();
				new Timeline(parent, cell, label, !isTall);
			});
		this.box = htmlNode(parent, "div", undefined, {
			class: "timeline", tabindex: 0, role: "group",
			"aria-label": `Timeline of ${tracks.length} VPs, ${label}. Plus and minus zoom, arrows move, 0 shows all.`,
		});
		this.svg = svgImage(this.box, PLOT_WIDTH - 2, this.height + LANES_AXIS, `Timeline, ${label}`,
				    `${tracks.length} VPs, one lane each, over ${formatMs(this.full.to - this.full.from)}`);
		this.axis = svgNode(this.svg, "g");
		this.drawLabels(tracks);
		this.lanes = svgNode(this.svg, "svg", {
			x: LANES_LEFT, y: 0, width: PLOT_WIDTH - 2 - LANES_LEFT, height: this.height,
			preserveAspectRatio: "none",
		});
		drawLanes(this.lanes, tracks, this.colours);
		drawLegend(parent, [...this.colours.keys()], (icon, i) => svgNode(icon, "rect", {
			x: -5, y: -5, width: 10, height: 10, fill: [...this.colours.values()][i],
		}));
		this.listen();
		this.show();
	}

	addButton(text, act, name = text) {
		const button = htmlNode(null, "button", text, {type: "button", "aria-label": name, title: name});

		button.addEventListener("click", act);
		this.range.before(button);
	}

	buildControls(parent) {
		const controls = htmlNode(parent, "div", undefined, {class: "controls"});

		this.range = htmlNode(controls, "span", "", {class: "faint", "aria-live": "polite"});
		this.addButton("+", () => this.zoom(0.5), "Zoom in");
		this.addButton("−", () => this.zoom(2), "Zoom out");
		this.addButton("←", () => this.move(-0.25), "Earlier");
		this.addButton("→", () => this.move(0.25), "Later");
		this.addButton("All", () => this.reset(), "Show all");
	}

	drawLabels(tracks) {
		const every = Math.ceil(14 / this.lane);

		tracks.forEach((track, lane) => {
			if (lane % every)
				return;
			addTitle(svgText(this.svg, LANES_LEFT - 8, Math.max(11, (lane + 0.5) * this.lane + 4), `VP ${track.vp}`,
					 {"text-anchor": "end", class: "faint"}), trackText(track));
		});
	}

	show() {
		const {from, to} = this.view, right = PLOT_WIDTH - 12;
		const area = {left: LANES_LEFT, right, top: 0, bottom: this.height};
		const scale = linearScale(from, to, LANES_LEFT, PLOT_WIDTH - 2);
		const digits = Math.max(0, Math.ceil(-Math.log10((to - from) / 8)));

		scale.ticks = scale.ticks.filter(tick => tick >= from && scale(tick) < right - 20);
		this.axis.replaceChildren();
		drawXAxis(this.axis, scale, area, "", tick => `${tick.toFixed(Math.min(digits, 6))} ms`);
		setAttributes(this.lanes, {viewBox: `${from} 0 ${to - from} ${this.height / this.lane}`});
		this.range.textContent = `${formatMs(to - from)} shown`;
	}

	/* around: the place that stays where it is, as a part of the width. */
	zoom(times, around = 0.5) {
		const {from, to} = this.view, all = this.full.to - this.full.from;
		const width = Math.min(all, Math.max(ZOOM_LEAST_MS, (to - from) * times));
		const centre = from + (to - from) * around;

		this.place(centre - width * around, width);
	}

	move(part) {
		const width = this.view.to - this.view.from;

		this.place(this.view.from + width * part, width);
	}

	reset() {
		this.view = {...this.full};
		this.show();
	}

	place(from, width) {
		const start = Math.min(Math.max(from, this.full.from), this.full.to - width);

		this.view = {from: start, to: start + width};
		this.show();
	}

	part(event) {
		const box = this.lanes.getBoundingClientRect();

		return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
	}

	/* The wheel scrolls the page unless the timeline has the focus or Ctrl is held. */
	listen() {
		const keys = {
			"+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
			ArrowLeft: () => this.move(-0.25), ArrowRight: () => this.move(0.25),
			"0": () => this.reset(), Home: () => this.reset(),
		};
		let dragged;

		this.box.addEventListener("keydown", event => {
			if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key])
				return;
			event.preventDefault();
			keys[event.key]();
		});
		this.box.addEventListener("wheel", event => {
			if (!event.ctrlKey && document.activeElement !== this.box)
				return;
			event.preventDefault();
			this.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.part(event));
		}, {passive: false});
		this.svg.addEventListener("dblclick", event => this.zoom(0.5, this.part(event)));
		this.svg.addEventListener("pointerdown", event => { dragged = event.clientX; });
		window.addEventListener("pointerup", () => { dragged = undefined; });
		window.addEventListener("pointermove", event => {
			if (dragged === undefined)
				return;
			this.move((dragged - event.clientX) / this.lanes.getBoundingClientRect().width);
			dragged = event.clientX;
		});
	}
}

function plotTimeline(parent, file) {
	const cells = file.cells.filter(cell => cell.timeline?.some(track => track.spans.length || track.instants.length));
	const keys = variedParams(file.cells), left = file.cells.filter(cell => cell.left_out).length;

	if (left)
		htmlNode(parent, "p", `Too large for this page: the VPs of ${left} cells are left out.`, {class: "note"});
	if (!cells.length)
		return;
	htmlNode(parent, "h3", "Timeline of the VPs");
	htmlNode(parent, "p", "The run in the middle, by its bring-up time; ms since vpup's start. Drag to move; " +
		 "Ctrl and the wheel, + and − zoom.", {class: "note"});
	const figure = htmlNode(parent, "figure"), id = `cells${idCount++}`, box = htmlNode(figure, "div");

	/* the largest machine first, as there is most to see */
	cells.sort((a, b) => b.timeline.length - a.timeline.length);
	if (cells.length > 1) {
		const controls = htmlNode(null, "div", undefined, {class: "controls"});

		htmlNode(controls, "label", "Cell", {for: id});
		const select = htmlNode(controls, "select", undefined, {id});

		cells.forEach((cell, i) => htmlNode(select, "option", cellLabel(cell, keys), {value: i}));
		select.addEventListener("change", () => {
			box.replaceChildren();
			new Timeline(box, cells[select.value], cellLabel(cells[select.value], keys));
		});
		figure.prepend(controls);
	}
	new Timeline(box, cells[0], cellLabel(cells[0], keys));
}
