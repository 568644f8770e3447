/** Valkey as a process: its first word is the port that it listens on. */

import { startValkey } from '../../support/valkey-process.ts'

await startValkey(Number(process.argv[2]))
process.once('disconnect', () => process.exit())
process.send?.('listening')
