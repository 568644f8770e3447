/** Where servers mostly are, for addresses at which there is none. */

export const USUAL_PATHS = 'most servers are at /mcp, older ones at /sse'

/** The address that was likely meant: where no path was given, the usual one. Without credentials and query. */
export function likelyAddress(url: URL): string | undefined {
  return url.pathname === '/' ? `${url.origin}/mcp` : undefined
}
