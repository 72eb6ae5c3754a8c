// What each client asks, and what it prints of the answers.
type Query = { limit?: number; cursor?: string; fields?: string[]; filter?: Record<string, unknown>; changes_since?: string };
type Page = { data: { id: string; data?: unknown }[] | null; has_more: boolean; next_cursor?: string; next_changes_since?: string };
type Client = {
  connections: () => Promise<{ data: unknown[] | null } | undefined>;
  records: (query: Query) => Promise<Page | undefined>;
};

export async function told(client: Client) {
  const whole = async (query: Query) => {
    const all: { id: string; data?: unknown }[] = [];
    for (let cursor: string | undefined; ; ) {
      const page: Page | undefined = await client.records({ ...query, cursor });
      if (!page) throw new Error("the host refused a page");
      all.push(...(page.data ?? []));
      cursor = page.next_cursor;
      if (!page.has_more) return { all, since: page.next_changes_since };
    }
  };
  const changes = await whole({ limit: 5, changes_since: "beginning" });
  console.log(JSON.stringify({
    connections: (await client.connections())?.data?.length,
    listed: (await whole({ limit: 5, fields: ["id", "language"] })).all.map((r) => r.data),
    filtered: (await whole({ limit: 5, filter: { full_name: "me/repo-3" } })).all.map((r) => r.id),
    changes: changes.all.map((r) => r.id),
    since: (await whole({ limit: 5, changes_since: changes.since })).all.length,
  }));
}
