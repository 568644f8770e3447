/** The fetch door where no Node is: each runtime's own server, with a bare handler on it and with Portico's. */

import { fileURLToPath } from 'node:url'
import { installedPackage, installPackages } from '../tests/support/install.ts'
import type { Axis } from './axis.ts'
import type { Call } from './programs/load/messages.ts'

export const RUNTIMES = ['bun', 'deno', 'workerd'] as const

const ADD: Call = { method: 'tools/call', name: 'add', args: { a: 1, b: 2 } }
/** They are those of `npm run runtimes`, and installed by it or on first use here. */
const HOME = fileURLToPath(new URL('../tests/runtimes/', import.meta.url))

export const RUNTIME_AXES: readonly Axis[] = [
  {
    name: 'fetch-runtimes',
    title: 'tools/call by fetch on other runtimes',
    unit: 'µs CPU per call',
    about: 'The runtime’s process, 2026-07-28, without sessions. The CPU time is Linux’s account of it.',
    cases: (pace) => {
      installPackages(HOME, { about: 'runtimes and frameworks' })
      return RUNTIMES.map((runtime) => ({
        name: runtime,
        plan: {
          ...pace,
          kind: 'http',
          call: ADD,
          inFlight: 32,
          contestants: ['bare', 'portico'].map((handler) => ({
            name: handler,
            program: 'runtimes/start',
            args: [runtime, installedPackage(HOME, '.bin', runtime), handler],
            era: 'modern',
          })),
        },
      }))
    },
  },
]
