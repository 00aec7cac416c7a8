import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ListToolsRequestSchema, ListToolsResponse } from "@toolgate/contract";
import { ToolgateClientError } from "./client-error.ts";
import type { ToolFilter } from "./listing.ts";
import type { RequestOptions } from "./requester.ts";

export interface ListPageOptions extends RequestOptions {
  /** 1 to 1,000; 1,000 where unset. */
  readonly pageSize?: number;
  /** `nextPageToken` of the page before. */
  readonly pageToken?: string;
}

export function listRequest(
  filter: ToolFilter,
  page: ListPageOptions,
): MessageInitShape<typeof ListToolsRequestSchema> {
  const { pageSize, pageToken } = page;
  return {
    ...filter,
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(pageToken === undefined ? {} : { pageToken }),
  };
}

/** All pages in one message. The first page's generation stands for all: a reader who goes on from it misses nothing. */
export async function allPages(
  page: (options: ListPageOptions) => Promise<ListToolsResponse>,
  options: RequestOptions = {},
): Promise<ListToolsResponse> {
  const whole = await page(options);
  const toolsets = new Map(whole.toolsets.map((toolset) => [toolset.name, toolset]));
  while (whole.nextPageToken !== "") {
    const next = await page({ ...options, pageToken: whole.nextPageToken });
    if (next.nextPageToken === whole.nextPageToken) throw endless();
    whole.nextPageToken = next.nextPageToken;
    whole.tools.push(...next.tools);
    for (const toolset of next.toolsets) toolsets.set(toolset.name, toolset);
  }
  whole.toolsets = [...toolsets.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return whole;
}

function endless(): ToolgateClientError {
  const message = "The gateway's list of tools does not end: a page leads to itself.";
  return new ToolgateClientError("INVALID_RESPONSE", message, { mayHaveRun: false });
}
