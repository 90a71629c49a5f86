/* Puts the page together: for each file its host, a table, and the plots. */

const TABLE_METRICS = [
	["smp_bringup_ms", "bring-up", "ms"], ["startup_ms", "start-up", "ms"],
	["lpj_error_ppm", "worst lpj error", "ppm"], ["synic_init_ms", "SynIC", "ms"],
	["cost.msr_read_us", "MSR read", "µs"], ["cost.hypercall_us", "hypercall", "µs"],
	["exits", "exits", ""], ["rss_kib", "vpup's memory", "KiB"],
];

/* --- host ---------------------------------------------------------------------------------------- */

function yesNo(value) {
	return value === true ? "yes" : value === false ? "no" : "unknown";
}

function hostFacts(host) {
	return [
		["CPU", host.cpu_model], ["CPUs online", host.cpus_online], ["Memory", host.memory_mib && `${host.memory_mib} MiB`],
		["Kernel", host.kernel], ["KVM module", host.kvm_module],
		["Guest instructions are emulated", yesNo(host.emulated)],
		["Itself a virtual machine", host.is_guest ? `yes, of ${host.hypervisor ?? "an unknown hypervisor"}` : yesNo(host.is_guest)],
		["TSC", host.tsc_khz && `${host.tsc_khz / 1000} MHz`], ["Load (1, 5, 15 minutes)", host.load?.map(l => l.toFixed(2)).join(", ")],
	];
}

function buildFacts(parent, rows) {
	const body = htmlNode(htmlNode(parent, "table", undefined, {class: "facts"}), "tbody");

	for (const [name, value] of rows) {
		const row = htmlNode(body, "tr");

		htmlNode(row, "th", name, {scope: "row"});
		htmlNode(row, "td", value ?? "unknown");
	}
}

function buildHost(parent, file) {
	const details = htmlNode(parent, "details", undefined, {open: ""});

	htmlNode(details, "summary", "Host and tool");
	buildFacts(details, [
		...(Object.keys(file.host).length ? hostFacts(file.host) : []),
		["Measured", `${file.tool.time ?? "unknown time"} by ${file.tool.name ?? "?"} ${file.tool.version ?? ""}`],
		["Command", Array.isArray(file.tool.command) ? `vpup ${file.tool.command.join(" ")}` : undefined],
	]);
}

/* --- tables -------------------------------------------------------------------------------------- */

function buildTable(parent, heads) {
	const table = htmlNode(htmlNode(parent, "div", undefined, {class: "scroll"}), "table");
	const row = htmlNode(htmlNode(table, "thead"), "tr");

	heads.forEach(([text, isNumber]) => htmlNode(row, "th", text, {scope: "col", class: isNumber ? "number" : ""}));
	return htmlNode(table, "tbody");
}

function metricCell(row, metric, name) {
	const cell = htmlNode(row, "td", undefined, {class: "number"});

	if (!metric) {
		cell.textContent = "–";
		return;
	}
	cell.append(formatNumber(name === "lpj_error_ppm" ? metric.max : metric.median));
	if (metric.p5 !== metric.p95)
		htmlNode(cell, "span", `${formatNumber(metric.p5)} – ${formatNumber(metric.p95)}`, {class: "spread"});
}

function buildSummary(parent, file) {
	const keys = variedParams(file.cells);
	const metrics = TABLE_METRICS.filter(([name]) => file.cells.some(cell => name in cell.metrics));
	const body = buildTable(parent, [
		...keys.map(key => [key, false]), ["runs", true],
		...metrics.map(([, text, unit]) => [unit ? `${text}, ${unit}` : text, true]),
	]);

	for (const cell of file.cells) {
		const row = htmlNode(body, "tr");

		for (const key of keys)
			htmlNode(row, "td", cell.params[key] ?? "–");
		htmlNode(row, "td", cell.runs, {class: "number"});
		for (const [name] of metrics)
			metricCell(row, cell.metrics[name], name);
	}
	htmlNode(parent, "p", "Medians; below them, the 5th and 95th percentile." +
		 (file.cells.some(cell => cell.modelled) ? " Stand-in costs are in these runs: their times are modelled." : ""), {class: "note"});
}

/* Every metric of every cell, built when it is asked for. */
function buildAllMetrics(parent, file) {
	const details = htmlNode(parent, "details"), keys = variedParams(file.cells);

	htmlNode(details, "summary", "All metrics");
	details.addEventListener("toggle", () => {
		const body = buildTable(details, [
			["cell", false], ["metric", false], ["unit", false], ["runs", true], ["median", true],
			["95 % interval", true], ["p5", true], ["p95", true], ["least", true], ["most", true],
		]);

		for (const cell of file.cells)
			for (const [name, m] of Object.entries(cell.metrics)) {
				const row = htmlNode(body, "tr");

				for (const text of [cellLabel(cell, keys), name, m.unit])
					htmlNode(row, "td", text);
				for (const text of [m.values.length, formatNumber(m.median),
						    m.ci95.map(formatNumber).join(" – "), formatNumber(m.p5),
						    formatNumber(m.p95), formatNumber(m.min), formatNumber(m.max)])
					htmlNode(row, "td", text, {class: "number"});
			}
	}, {once: true});
}

/* --- the page ------------------------------------------------------------------------------------ */

function constantParams(file) {
	const varied = variedParams(file.cells);

	return cellLabel(file.cells[0], Object.keys(file.cells[0].params).filter(key => !varied.includes(key)));
}

function buildFile(parent, file, i) {
	const section = htmlNode(parent, "section", undefined, {id: `file${i}`, "aria-labelledby": `head${i}`});

	htmlNode(section, "h2", `${file.scenario} – ${file.name}`, {id: `head${i}`});
	htmlNode(section, "p", constantParams(file), {class: "note"});
	if (file.incomplete)
		htmlNode(section, "p", "This measurement ended early.", {class: "warn"});
	buildSummary(section, file);
	plotBringup(section, file);
	plotCosts(section, file);
	plotLpj(section, file);
	plotStages(section, file);
	plotStartup(section, file);
	plotTimeline(section, file);
	buildAllMetrics(section, file);
	buildHost(section, file);
}

function buildContents() {
	const list = htmlNode(document.getElementById("contents"), "ul");

	report.files.forEach((file, i) => htmlNode(htmlNode(list, "li"), "a", `${file.scenario} – ${file.name}`, {href: `#file${i}`}));
}

/* The system's choice, until the reader makes one. */
function setUpTheme() {
	const button = document.getElementById("theme"), dark = matchMedia("(prefers-color-scheme: dark)");
	let chosen;

	const show = () => {
		const isDark = chosen ?? dark.matches;

		document.documentElement.dataset.theme = isDark ? "dark" : "light";
		button.textContent = isDark ? "Light" : "Dark";
		button.setAttribute("aria-pressed", isDark);
	};

	button.addEventListener("click", () => { chosen = !(chosen ?? dark.matches); show(); });
	dark.addEventListener("change", show);
	show();
}

setUpTheme();
if (report.files.length > 1)
	buildContents();
document.getElementById("subtitle").textContent =
	[...new Set(report.files.map(file => file.host.cpu_model ? `${file.host.cpu_model}, Linux ${file.host.kernel}` : "unknown host"))].join("; ");
report.files.forEach((file, i) => buildFile(document.getElementById("report"), file, i));
