// Writes src/schema.ts and src/operations.ts from the OpenAPI document. Its argument is the
// document; without one it takes the document of this repository.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const source = process.argv[2] ?? new URL("../../openapi/openapi.json", import.meta.url);
const doc = JSON.parse(await readFile(source, "utf8"));
const into = (name) => new URL(`src/${name}`, import.meta.url);

// The generator makes strings of files.
const types = await openapiTS(doc, {
  transform: (schema) => (schema.format === "binary" ? ts.factory.createTypeReferenceNode("Blob") : undefined),
});
await writeFile(into("schema.ts"), astToString(types));

const resolve = (value) => (value.$ref ? value.$ref.slice(2).split("/").reduce((node, key) => node[key], doc) : value);
const table = {};
for (const [path, item] of Object.entries(doc.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    if (method === "parameters" || operation["x-outside-envelope"]) continue; // the wallet's
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
    const lists = parameters.filter((p) => p.in === "query" && p.explode === false).map((p) => p.name);
    table[operation.operationId] = {
      method: method.toUpperCase(),
      path,
      ...(lists.length > 0 && { lists }),
      ...(parameters.some((p) => p.name === "Idempotency-Key") && { takesKey: true }),
    };
  }
}
await writeFile(
  into("operations.ts"),
  `// The operations of the OpenAPI document by their names.\nexport const operations = ${JSON.stringify(table, null, 2)} as const;\n`,
);
