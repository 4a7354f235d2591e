// Tests the compiled client in Node.js. Its argument is the address of a server with the demo data.
import { retries } from "../dist/test/retries.js";
import { tour } from "../dist/test/tour.js";

await retries();
console.log(`${await tour(process.argv[2], (codeURL) => fetch(codeURL, { method: "POST" }))} operations`);
