/** `servers.*`: what is connected, how it is, and what can be added. */

import type { ConfigProblem } from '@portico/host/config'
import type { UpstreamView } from '@portico/host/upstream'
import type { JsonObject, LogLevel } from '@portico/sdk/client'
import type { Method } from './method.ts'

export interface ServersApi {
  'servers.list': Method<{}, { readonly servers: readonly ServerCard[]; readonly problems: readonly ConfigProblem[] }>
  /** `entry` is in the `mcpServers` form; any form that the configuration reads may be pasted as `text` instead. */
  'servers.add': Method<
    { readonly name?: string; readonly entry?: JsonObject; readonly text?: string },
    { readonly added: readonly string[]; readonly problems: readonly ConfigProblem[] }
  >
  /** What `servers.add` would add from this text. */
  'servers.preview': Method<{ readonly text: string }, PastedPreview>
  'servers.remove': Method<{ readonly server: string }>
  'servers.set': Method<{
    readonly server: string
    readonly action: 'enable' | 'disable' | 'restart' | 'sign-in' | 'sign-out'
  }>
  /** Other roots, or another level of log messages, while it runs; null is as configured. */
  'servers.tune': Method<{
    readonly server: string
    readonly roots?: readonly string[] | null
    readonly logLevel?: LogLevel | null
  }>
  /** The servers that other programs on this machine have configured. */
  'servers.importable': Method<{}, { readonly programs: readonly ImportableProgram[] }>
  'servers.import': Method<
    { readonly file: string; readonly servers: readonly string[] },
    { readonly added: readonly string[]; readonly problems: readonly ConfigProblem[] }
  >
  'servers.registry': Method<
    { readonly query: string },
    { readonly entries: readonly RegistryEntry[]; readonly source: string }
  >
  'servers.trust': Method<{ readonly file: string; readonly trusted: boolean }>
  'servers.doctor': Method<{ readonly server: string }, { readonly checks: readonly DoctorCheck[] }>
  'servers.logs': Method<{ readonly server: string }, { readonly lines: readonly string[] }>
  /** What signing in did, step by step, secrets left out; `page` is where the user is waited for now. */
  'servers.oauth': Method<{ readonly server: string }, { readonly steps: readonly OAuthStep[]; readonly page?: string }>
}

export interface ServerCard extends UpstreamView {
  /** The whole command line or URL, as it would run. */
  readonly shown: string
  readonly memoryBytes?: number
  readonly processes?: number
  readonly items: {
    readonly tools: number
    readonly resources: number
    readonly prompts: number
    readonly quarantined: number
  }
  readonly warnings: readonly string[]
  readonly builtIn: boolean
}

export interface PastedPreview {
  readonly servers: readonly {
    readonly name: string
    /** The whole command line or URL. */
    readonly shown: string
    readonly warnings: readonly string[]
    /** Of a single line: the entry, and whether the line says what it is called. */
    readonly entry?: JsonObject
    readonly named?: boolean
  }[]
  readonly problems: readonly ConfigProblem[]
}

export interface ImportableProgram {
  readonly program: string
  readonly file: string
  readonly servers: readonly {
    readonly name: string
    readonly shown: string
    readonly present: boolean
    readonly warnings: readonly string[]
  }[]
  readonly problems: readonly ConfigProblem[]
}

export interface RegistryEntry {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly repository?: string
  /** What would be added, in the `mcpServers` form, by the way it is installed. */
  readonly ways: readonly { readonly label: string; readonly entry: JsonObject; readonly shown: string }[]
}

export interface DoctorCheck {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly detail: string
  readonly remedy?: string
}

export interface OAuthStep {
  readonly at: number
  readonly step: string
  readonly status: 'ok' | 'failed' | 'waiting'
  readonly detail: string
}
