// Lists, filters and follows changes with the client that hey-api makes.
import { getOwnerConnections, getStreamsStreamRecords } from "./made/hey";
import { createClient } from "./made/hey/client";
import { told } from "./told";

const { ORIGIN = "", TOKEN = "" } = process.env;
const client = createClient({ baseUrl: ORIGIN, auth: TOKEN });

await told({
  connections: async () => (await getOwnerConnections({ client, query: { limit: 1, connector_id: "github" } })).data,
  records: async (query) => (await getStreamsStreamRecords({ client, path: { stream: "repositories" }, query })).data,
});
