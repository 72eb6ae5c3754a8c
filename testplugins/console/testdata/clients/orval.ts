// Lists, filters and follows changes with the functions that orval makes. They ask the page's own origin, which a program has none of.
import { getOwnerConnections, getStreamsStreamRecords } from "./made/orval";
import { told } from "./told";

const { ORIGIN = "", TOKEN = "" } = process.env;
const ask = globalThis.fetch;
globalThis.fetch = (at, more) => ask(new URL(String(at), ORIGIN), more);
const options = { headers: { Authorization: `Bearer ${TOKEN}` } };

await told({
  connections: async () => {
    const got = await getOwnerConnections({ limit: 1, connector_id: "github" }, options);
    return got.status === 200 ? got.data : undefined;
  },
  records: async (query) => {
    const got = await getStreamsStreamRecords("repositories", query, options);
    return got.status === 200 ? got.data : undefined;
  },
});
