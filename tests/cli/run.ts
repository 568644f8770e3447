/**
 * `npm run cli`: the built command line for real. Chat and approvals in a real terminal, packages installed into an empty
 * folder, sessions recorded and replayed, bridges to others' clients.
 */

import { runSuite } from '../support/suite.ts'
import { buildBinary } from './binary.ts'

await runSuite(import.meta.url, {
  flags: { 'no-build': { type: 'boolean', about: 'take what is built' } },
  async open(flags) {
    return {
      trials: [
        ...(await import('./chat.ts')).trials,
        ...(await import('./terminal.ts')).trials,
        ...(await import('./tasks.ts')).trials,
        ...(await import('./everything.ts')).trials,
        ...(await import('./bridge.ts')).trials,
        ...(await import('./pack.ts')).trials,
        ...(await import('./pack-libraries.ts')).trials,
      ],
      before: () => (flags['no-build'] === true ? undefined : buildBinary()),
    }
  },
})
