/* The data of the page, and words for what is in it. */

const report = JSON.parse(document.getElementById("data").textContent);

/* The keys of params that differ between the cells. */
function variedParams(cells) {
	const keys = new Set();

	for (const cell of cells)
		for (const key of Object.keys(cell.params))
			keys.add(key);
	return [...keys].filter(key => cells.some(cell => cell.params[key] !== cells[0].params[key]));
}

/* "smp=full lpj=preset": these params of a cell. */
function cellLabel(cell, keys) {
	const words = keys.filter(key => key in cell.params).map(key => `${key}=${cell.params[key]}`);

	return words.length ? words.join(" ") : "all runs";
}

function median(cell, metric) {
	return cell.metrics[metric]?.median;
}

/* Three digits: 1180, 16.1, 0.452. */
function formatNumber(value) {
	const size = Math.abs(value);

	if (value === 0)
		return "0";
	if (size >= 1e15 || size < 1e-4)
		return value.toExponential(2);
	if (size >= 100)
		return Math.round(value).toLocaleString("en-US").replaceAll(",", "\u202f");
	return value.toPrecision(3);
}

function formatMs(value) {
	return value >= 1000 ? `${formatNumber(value / 1000)} s`
	     : value >= 0.1 || value === 0 ? `${formatNumber(value)} ms`
	     : `${formatNumber(value * 1000)} µs`;
}

/* The lpj that is right on this host: TSC cycles per tick. */
function lpjReference(file, cell) {
	const khz = file.host.tsc_khz, hz = cell.params.hz;

	return khz && hz ? Math.floor(khz * 1000 / hz) : undefined;
}
