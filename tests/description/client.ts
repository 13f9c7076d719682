// A client in strict TypeScript. It reads all required fields of responses without checks, so it compiles only if
// the API description declares them required.

import type { components, operations } from "./generated/api.d.ts";

type Schemas = components["schemas"];
type Answer<Name extends keyof operations, Status extends number> =
  operations[Name] extends { responses: infer Responses }
    ? Status extends keyof Responses
      ? Responses[Status] extends { content: { "application/json": infer Body } }
        ? Body
        : never
      : never
    : never;

export function describeJob(job: Schemas["AgentJob"]): string {
  const link: string | null = job.prLink;
  const archived: string | null = job.archivedAt;
  const branch: string | null = job.source.ref;
  const error: string | null = job.error;
  const summary: string | null = job.summary;
  const cost: number | null = job.usage.cost;
  return [job.id, link, archived, branch, error, summary, cost === null ? "" : cost.toFixed(2)].join(" ");
}

export function describeExport(job: Schemas["StaticExportJob"]): string {
  const version: string | null = job.version;
  const paths: string[] | null = job.paths;
  const release: string | null = job.releaseId;
  const error: string | null = job.error;
  const shown = paths === null ? "all pages" : paths.join(", ");
  return `${job.jobId} ${job.progress.toFixed(0)} ${version} ${shown} ${release} ${error}`;
}

type Page<Item> = { items: Item[]; nextCursor: string | null };

/** All items of a list, read page by page. */
export async function all<Item>(page: (cursor: string | null) => Promise<Page<Item>>): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | null = null;
  do {
    const read: Page<Item> = await page(cursor);
    found.push(...read.items);
    cursor = read.nextCursor;
  } while (cursor !== null);
  return found;
}

export function pageOfJobs(answer: Answer<"listAgentJobs", 200>): Page<Schemas["AgentJob"]> {
  return { items: answer.jobs, nextCursor: answer.nextCursor };
}

export function pageOfExports(answer: Answer<"listStaticExports", 200>): Page<Schemas["StaticExportJob"]> {
  return { items: answer.jobs, nextCursor: answer.nextCursor };
}

export function link(bundle: Answer<"createExportBundle", 200>): URL {
  return new URL(bundle.bundleUrl);
}

/** Optional fields of requests can be omitted. */
export const exportOfAll: Schemas["StartExport"] = { domain: "docs.example.com" };
