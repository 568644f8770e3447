/** The tool that stands for a server which has items for each user, until the caller has signed in to it. */

import type { Tool } from '@portico/sdk/client'
import type { CallToolResult } from '@portico/sdk/server'

const SUFFIX = '_sign_in'

export function signInTool(server: string): Tool {
  return {
    name: `${server.replaceAll(/[^A-Za-z0-9_-]/g, '_')}${SUFFIX}`,
    title: `Sign in to ${server}`,
    description: `Connects your account at "${server}". Its tools are listed once you have signed in.`,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true, openWorldHint: true },
  }
}

/** The server that a name of this kind means. */
export function signInServer(name: string, servers: readonly string[]): string | undefined {
  return name.endsWith(SUFFIX) ? servers.find((server) => signInTool(server).name === name) : undefined
}

export function signedIn(server: string): CallToolResult {
  return { content: [{ type: 'text', text: `You are signed in to "${server}". Its tools are listed now.` }] }
}
