/** Flags that several commands have. Loads nothing: declarations are read for every help page. */

import type { ProtocolVersion } from '@portico/sdk/client'
import type { Flag } from './command.ts'

/** Written out, so that help does not load the SDK. */
const REVISIONS = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const satisfies readonly ProtocolVersion[]

/** Flags of every command that is about one server. */
export const TARGET_FLAGS = {
  config: {
    type: 'string',
    value: 'file',
    about: 'A configuration file in place of the usual ones (./portico.json and your own).',
  },
  header: { type: 'string', multiple: true, value: 'name: value', about: 'A header for every request to a URL.' },
  protocol: {
    type: 'string',
    value: 'revision',
    choices: REVISIONS,
    about: 'Speak this revision of the protocol.',
    fallback: 'the newest that both sides have',
  },
  timeout: { type: 'number', value: 'seconds', about: 'How long an answer may take.' },
  yes: {
    type: 'boolean',
    short: 'y',
    about: 'Allow what this command does, this one time. Questions of the server itself stay.',
  },
} as const satisfies { readonly [name: string]: Flag }

/** Flags of every command that opens the host. */
export const HOST_FLAGS = {
  config: {
    type: 'string',
    value: 'file',
    about: 'A configuration file in place of the usual ones (./portico.json and your own).',
  },
  yes: { type: 'boolean', short: 'y', about: 'Allow what this command does, this one time, without asking.' },
} as const satisfies { readonly [name: string]: Flag }
