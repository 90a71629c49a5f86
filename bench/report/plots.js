/* The plots of a file: bring-up, lpj, stages, start-up. Each returns false where it has no data. */

const PLOT_WIDTH = 1060;
const CELLS_SHOWN = 40; /* bars of more would be a wall */

/* --- bring-up time ---------------------------------------------------------------------------- */

function describe(label, m, format = formatMs) {
	return `${label}: median ${format(m.median)}, p5 ${format(m.p5)}, p95 ${format(m.p95)}, ` +
	       `${m.values.length} runs`;
}

function drawSamples(svg, cell, metric, place, colour) {
	const path = cell.metrics[metric].values.map(place).map(([x, y]) => `M${x.toFixed(1)},${y.toFixed(1)}h0`);

	svgNode(svg, "path", {
		d: path.join(""), stroke: colour, "stroke-width": 4, "stroke-linecap": "round",
		opacity: 0.35,
	});
}

/* Time against the number of VPs: a line for each combination of the other parameters. */
function plotLines(parent, cells, metric, title) {
	const keys = variedParams(cells), others = keys.filter(key => key !== "cpus");
	const names = [...new Set(cells.map(cell => cellLabel(cell, others)))];
	const area = {left: 72, right: PLOT_WIDTH - 20, top: 26, bottom: 330};
	const describeCell = cell => describe(cellLabel(cell, keys), cell.metrics[metric]);
	const figure = htmlNode(parent, "figure");
	const svg = svgImage(figure, PLOT_WIDTH, 374, title,
			     cells.map(describeCell).join("; "));
	const counts = [...new Set(cells.map(cell => cell.params.cpus))].sort((a, b) => a - b);
	const last = counts[counts.length - 1];
	const x = last / counts[0] >= 8 ? logScale(counts[0] / 1.15, last * 1.15, area.left, area.right)
					: linearScale(0, last * 1.05, area.left, area.right);
	const y = timeScale(cells.flatMap(cell => cell.metrics[metric].values), area.bottom, area.top);

	x.ticks = counts;
	drawYAxis(svg, y, area, "ms");
	drawXAxis(svg, x, area, "VPs", String);
	names.forEach((name, i) => {
		const line = cells.filter(cell => cellLabel(cell, others) === name)
			.sort((a, b) => a.params.cpus - b.params.cpus);
		const points = line.map(cell => `${x(cell.params.cpus)},${y(median(cell, metric))}`);

		svgNode(svg, "polyline", {
			points: points.join(" "), fill: "none", stroke: seriesColour(i), "stroke-width": 2,
		});
		for (const cell of line) {
			const at = x(cell.params.cpus);

			drawSamples(svg, cell, metric, value => [at, y(value)], seriesColour(i));
			addTitle(drawMark(svg, at, y(median(cell, metric)), i), describeCell(cell));
		}
	});
	drawLegend(figure, names, (icon, i) => drawMark(icon, 0, 0, i));
	htmlNode(figure, "figcaption", "Line: medians. Dots: every run.");
}

/* A row of dots for each of {label, m}, m a metric; unit names the axis. */
function plotStrips(parent, rows, title, unit = "ms", format = formatMs) {
	const height = 30, area = {left: 220, right: PLOT_WIDTH - 90, top: 10, bottom: 14 + height * rows.length};
	const figure = htmlNode(parent, "figure");
	const svg = svgImage(figure, PLOT_WIDTH, area.bottom + 44, title,
			     rows.map(row => describe(row.label, row.m, format)).join("; "));
	const x = timeScale(rows.flatMap(row => row.m.values), area.left, area.right);

	drawXAxis(svg, x, area, unit);
	rows.forEach(({label, m}, i) => {
		const y = area.top + height * (i + 0.5), group = svgNode(svg, "g");

		addTitle(group, describe(label, m, format));
		svgText(group, area.left - 12, y + 4, label, {"text-anchor": "end"});
		svgNode(group, "line", {
			x1: x(m.p5), x2: x(m.p95), y1: y, y2: y, stroke: seriesColour(i), "stroke-width": 2,
		});
		/* spread by a fixed pattern, so that equal values can be told apart */
		m.values.forEach((value, k) => svgNode(group, "circle", {
			cx: x(value), cy: y + (k * 7 % 11 - 5) * 1.4, r: 2, fill: seriesColour(i), opacity: 0.45,
		}));
		svgNode(group, "rect", {
			x: x(m.median) - 1.5, y: y - 11, width: 3, height: 22, fill: seriesColour(i),
		});
		svgText(group, area.right + 12, y + 4, format(m.median));
	});
	htmlNode(figure, "figcaption", "Dots: every run. Bar: the median; line: 5th to 95th percentile.");
}

/* One VP count: a row for each cell. */
function plotCellStrips(parent, cells, metric, title) {
	const keys = variedParams(cells);

	plotStrips(parent, cells.map(cell => ({label: cellLabel(cell, keys), m: cell.metrics[metric]})), title);
}

function plotBringup(parent, file) {
	for (const [metric, title] of [
		["smp_bringup_ms", "SMP bring-up"], ["startup_ms", "Start of vpup to the last VP online"],
		["synic_init_ms", "SynIC set-up"],
	]) {
		/* a single VP has no bring-up */
		const cells = file.cells.filter(cell => median(cell, metric) > 0);

		if (cells.length < 2 && !(cells[0]?.metrics[metric].values.length > 1))
			continue; /* the table says it all */
		htmlNode(parent, "h3", title);
		if (new Set(cells.map(cell => cell.params.cpus)).size > 1)
			plotLines(parent, cells, metric, title);
		else
			plotCellStrips(parent, cells.slice(0, CELLS_SHOWN), metric, title);
	}
}

/* --- exits -------------------------------------------------------------------------------------- */

/* What each kind of exit costs, cell by cell. */
function plotCosts(parent, file) {
	const keys = variedParams(file.cells);

	for (const cell of file.cells.slice(0, CELLS_SHOWN)) {
		const rows = Object.entries(cell.metrics)
			.filter(([name]) => name.startsWith("cost.") && name.endsWith("_us"))
			.map(([name, m]) => ({label: name.slice(5, -3).replaceAll("_", " "), m}));
		const where = keys.length ? `, ${cellLabel(cell, keys)}` : "";

		if (!rows.length)
			continue;
		htmlNode(parent, "h3", `Cost of exits${where}`);
		plotStrips(parent, rows, `Cost of exits${where}`, "µs", us => formatMs(us / 1000));
	}
}

/* --- lpj ---------------------------------------------------------------------------------------- */

function lpjErrors(file, cell) {
	const reference = lpjReference(file, cell);

	return (cell.lpj ?? []).map(run => run.map(
		lpj => lpj && reference ? (lpj - reference) / reference * 1e6 : undefined));
}

function plotLpjCell(figure, file, cell, keys, most) {
	const vps = Math.max(...cell.lpj.map(run => run.length)), errors = lpjErrors(file, cell);
	const area = {left: 74, right: 325, top: 40, bottom: 210};
	const worst = Math.max(...errors.flat().filter(e => e !== undefined).map(Math.abs));
	const label = cellLabel(cell, keys);
	const svg = svgImage(figure, 345, 250, `lpj error by VP, ${label}`,
			     `worst ${formatNumber(worst)} ppm of ${cell.lpj.length} runs`);
	const x = linearScale(-0.5, vps - 0.5, area.left, area.right);
	const y = symmetricLogScale(most, 100, area.bottom, area.top);
	const dots = errors.flatMap(run => run.map((e, vp) => e === undefined ? ""
		: `M${x(vp).toFixed(1)},${y(e).toFixed(1)}h0`));

	x.ticks = x.ticks.filter(Number.isInteger);
	svgText(svg, area.left, 16, label, {class: "strong"});
	drawYAxis(svg, y, area, "ppm");
	drawXAxis(svg, x, area, "VP", String);
	svgNode(svg, "path", {
		d: dots.join(""), stroke: seriesColour(0), "stroke-width": 4, "stroke-linecap": "round",
		opacity: 0.7,
	});
}

function plotLpj(parent, file) {
	const cells = file.cells.filter(cell => lpjErrors(file, cell).flat().some(e => e !== undefined));
	const shown = cells.slice(0, 12), keys = variedParams(file.cells);
	const most = Math.max(1000, ...shown.flatMap(cell => lpjErrors(file, cell)).flat()
		.filter(e => e !== undefined).map(Math.abs)) * 1.5;

	if (!cells.length)
		return;
	htmlNode(parent, "h3", "lpj by VP");
	const figure = htmlNode(parent, "figure", undefined, {class: "row"});

	for (const cell of shown)
		plotLpjCell(figure, file, cell, keys, most);
	htmlNode(figure, "figcaption",
		 "Distance of each VP's lpj from TSC frequency / HZ, every run; linear within 100 ppm, " +
		 "logarithmic beyond." +
		 (cells.length > shown.length ? ` ${cells.length - shown.length} more cells are not drawn.` : ""));
}

/* --- stacks -------------------------------------------------------------------------------------- */

/* Diagonal lines for what is modelled: no colour alone says so. */
function addHatch(svg) {
	const id = `hatch${idCount++}`;
	const pattern = svgNode(svgNode(svg, "defs"), "pattern", {
		id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
	});

	svgNode(pattern, "rect", {width: 2, height: 6, fill: "var(--paper)", opacity: 0.55});
	return `url(#${id})`;
}

/*
 * Rows of {label, segments: [{name, value, colour, modelled}], mark: {value, name}}; a mark is a tick
 * across the bar. share: each bar is 100 %.
 */
function drawStacks(figure, rows, title, share) {
	const row = 26, area = {left: 220, right: PLOT_WIDTH - 90, top: 8, bottom: 12 + row * rows.length};
	const total = r => r.segments.reduce((sum, s) => sum + s.value, 0);
	const svg = svgImage(figure, PLOT_WIDTH, area.bottom + 44, title,
		rows.map(r => `${r.label}: ` + r.segments.map(s => `${s.name} ${formatMs(s.value)}`).join(", ")).join("; "));
	const most = Math.max(...rows.map(r => Math.max(total(r), r.mark?.value ?? 0)));
	const hatch = addHatch(svg);

	rows.forEach((r, i) => {
		const scale = linearScale(0, share ? total(r) : most, area.left, area.right);
		const y = area.top + row * i + 4;

		if (i === 0)
			drawXAxis(svg, share ? linearScale(0, 100, area.left, area.right) : scale, area,
				  share ? "%" : "ms");
		svgText(svg, area.left - 12, y + 13, r.label, {"text-anchor": "end"});
		r.segments.reduce((from, s) => {
			const box = {x: scale(from), y, width: scale(from + s.value) - scale(from), height: 18};
			const group = svgNode(svg, "g");

			svgNode(group, "rect", {...box, fill: s.colour});
			if (s.modelled)
				svgNode(group, "rect", {...box, fill: hatch});
			addTitle(group, `${r.label}: ${s.name} ${formatMs(s.value)}`);
			return from + s.value;
		}, 0);
		svgText(svg, area.right + 12, y + 13, formatMs(total(r)));
		if (r.mark && !share) {
			const mark = svgNode(svg, "rect", {
				x: scale(r.mark.value) - 1, y: y - 3, width: 2, height: 24, fill: "var(--ink)",
			});

			addTitle(mark, `${r.mark.name} ${formatMs(r.mark.value)}`);
		}
	});
}

/* With a switch between times and shares, as a bar of 2 ms beside one of 1 s says nothing. */
function plotStacks(parent, rows, names, title, caption) {
	const figure = htmlNode(parent, "figure"), controls = htmlNode(figure, "div", undefined, {class: "controls"});
	const button = htmlNode(controls, "button", "Show shares", {type: "button", "aria-pressed": "false"});
	const plot = htmlNode(figure, "div");
	let share = false;

	const draw = () => {
		plot.replaceChildren();
		drawStacks(plot, rows, title, share);
		button.textContent = share ? "Show times" : "Show shares";
		button.setAttribute("aria-pressed", share);
	};

	button.addEventListener("click", () => { share = !share; draw(); });
	draw();
	drawLegend(figure, names.map(n => n.name), (icon, i) => {
		svgNode(icon, "rect", {x: -5, y: -5, width: 10, height: 10, fill: names[i].colour});
		if (names[i].modelled)
			svgNode(icon, "rect", {x: -5, y: -5, width: 10, height: 10, fill: addHatch(icon)});
	});
	htmlNode(figure, "figcaption", caption);
}

/* The stages, and what of a stage's sum lies in another one of the list. */
const STAGES = [
	{name: "kick", metric: "kick"},
	{name: "wait for its turn", metric: "wait"},
	{name: "microcode", metric: "ucode", modelled: true},
	{name: "wait for sibling", metric: "sibling", modelled: true},
	{name: "identify", metric: "identify", modelled: true},
	{name: "init", metric: "init", without: ["ucode", "sibling", "identify"]},
	{name: "calibrate", metric: "calibrate"},
	{name: "TSC sync", metric: "tscsync", modelled: true},
	{name: "online work", metric: "online_work", modelled: true},
	{name: "go online", metric: "online", without: ["tscsync", "online_work"]},
].map((stage, i) => ({...stage, colour: seriesColour(i)}));

/* Sums over the VPs add up; where a file has none, the time with at least one VP in the stage. */
function stageValue(cell, stage) {
	const value = name => median(cell, `stage.${name}_sum_ms`) ?? median(cell, `stage.${name}_ms`) ?? 0;

	return Math.max(0, (stage.without ?? []).reduce((rest, name) => rest - value(name), value(stage.metric)));
}

function plotStages(parent, file) {
	const cells = file.cells.filter(cell => "stage.init_ms" in cell.metrics).slice(0, CELLS_SHOWN);
	const keys = variedParams(cells);
	const used = STAGES.filter(stage => cells.some(cell => stageValue(cell, stage) > 0));
	const rows = cells.map(cell => ({
		label: cellLabel(cell, keys),
		segments: used.map(stage => ({...stage, value: stageValue(cell, stage)})),
		mark: {name: "bring-up", value: median(cell, "smp_bringup_ms") ?? 0},
	}));

	if (!cells.length)
		return;
	htmlNode(parent, "h3", "Stages");
	plotStacks(parent, rows, used, "Stages of bring-up",
		   "Time in each stage, summed over the VPs but the first; median of the runs. Tick across a bar: bring-up by " +
		   "the clock, which is less where VPs overlap." +
		   (used.some(stage => stage.modelled) ? " Hatched: modelled, the guest slept for as long as it was told." : ""));
}

const STARTUP_STEPS = ["open", "vm", "memory", "irqchip", "devices", "load", "vps", "thread", "entry", "guest", "bringup"]
	.map((name, i) => ({name, metric: `startup.${name}_ms`, colour: seriesColour(i)}));

function plotStartup(parent, file) {
	const cells = file.cells.filter(cell => "startup.entry_ms" in cell.metrics).slice(0, CELLS_SHOWN);
	const keys = variedParams(cells);
	const rows = cells.map(cell => ({
		label: cellLabel(cell, keys),
		segments: STARTUP_STEPS.map(step => ({...step, value: median(cell, step.metric) ?? 0})),
		mark: "startup.floor_ms" in cell.metrics
			? {name: "floor: a bare VM", value: median(cell, "startup.floor_ms")} : undefined,
	}));

	if (!cells.length)
		return;
	htmlNode(parent, "h3", "Start-up by step");
	plotStacks(parent, rows, STARTUP_STEPS, "Start-up by step",
		   "From vpup's first statement to the last VP online; medians." +
		   (rows.some(r => r.mark) ? " Tick across a bar: the floor, a bare VM with as many VPs." : ""));
}
