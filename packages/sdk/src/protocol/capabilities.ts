/** What each side says it can do, in the newest spelling. */

import type { JsonObject } from '../jsonrpc/message.ts'

/** What a client says that it can do. */
export interface ClientCapabilities {
  experimental?: { [name: string]: JsonObject }
  roots?: { listChanged?: boolean }
  sampling?: { context?: JsonObject; tools?: JsonObject }
  /** `{}` means form mode. */
  elicitation?: { form?: JsonObject; url?: JsonObject }
  /** Tasks of 2025-11-25 that the client takes on itself. */
  tasks?: { list?: JsonObject; cancel?: JsonObject; requests?: JsonObject }
  extensions?: { [id: string]: JsonObject }
}

/** What a server says that it can do. */
export interface ServerCapabilities {
  experimental?: { [name: string]: JsonObject }
  logging?: JsonObject
  completions?: JsonObject
  prompts?: { listChanged?: boolean }
  resources?: { subscribe?: boolean; listChanged?: boolean }
  tools?: { listChanged?: boolean }
  /** Tasks of 2025-11-25; later revisions have an extension for them. */
  tasks?: { list?: JsonObject; cancel?: JsonObject; requests?: JsonObject }
  extensions?: { [id: string]: JsonObject }
}

/** The kinds of input a server can ask a client for, and the capability each needs. */
export type AskKind = 'form' | 'url' | 'sample' | 'sample-tools' | 'roots'

/** The capabilities object that names what `kind` needs: the `requiredCapabilities` of a refusal. */
export function requiredFor(kind: AskKind): ClientCapabilities {
  switch (kind) {
    case 'form':
      return { elicitation: {} }
    case 'url':
      return { elicitation: { url: {} } }
    case 'sample':
      return { sampling: {} }
    case 'sample-tools':
      return { sampling: { tools: {} } }
    case 'roots':
      return { roots: {} }
  }
}

/** Whether a client with these capabilities may be asked for `kind`. An `elicitation` of `{}` means form mode only. */
export function canAsk(capabilities: ClientCapabilities, kind: AskKind): boolean {
  const { elicitation, sampling, roots } = capabilities
  switch (kind) {
    case 'form':
      return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
    case 'url':
      return elicitation?.url !== undefined
    case 'sample':
      return sampling !== undefined
    case 'sample-tools':
      return sampling?.tools !== undefined
    case 'roots':
      return roots !== undefined
  }
}
