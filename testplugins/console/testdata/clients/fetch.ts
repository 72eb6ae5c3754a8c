// Lists, filters and follows changes with openapi-fetch, by the types that openapi-typescript makes.
import createClient from "openapi-fetch";
import type { paths } from "./made/types";
import { told } from "./told";

const { ORIGIN = "", TOKEN = "" } = process.env;
const client = createClient<paths>({ baseUrl: ORIGIN, headers: { Authorization: `Bearer ${TOKEN}` } });

await told({
  connections: async () => (await client.GET("/v1/owner/connections", { params: { query: { limit: 1, connector_id: "github" } } })).data,
  records: async (query) => (await client.GET("/v1/streams/{stream}/records", { params: { path: { stream: "repositories" }, query } })).data,
});
