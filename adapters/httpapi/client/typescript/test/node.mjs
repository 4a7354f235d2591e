// Tests the compiled client in Node.js. Its arguments are the address of a server with the demo data, and of the messages
// that it would send.
import { polling, retries } from "../dist/test/retries.js";
import { tour } from "../dist/test/tour.js";

await retries();
await polling();
const phone = {
  scan: (codeURL) => fetch(codeURL, { method: "POST" }),
  read: async (number) => {
    const list = `${process.argv[3]}messages.json?to=${encodeURIComponent(number.replace("-", ""))}`;
    for (;;) {
      const messages = await (await fetch(list)).json();
      if (messages.length > 0) return messages[0].code;
    }
  },
};
console.log(`${await tour(process.argv[2], phone)} operations`);
