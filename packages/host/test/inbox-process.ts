/** A process of its own with a question waiting: prints when it asks, and the answer that it got. */

import { join } from 'node:path'
import { createInbox } from '../src/consent/inbox.ts'

const [stateDir = '', kind = 'approval'] = process.argv.slice(2)
const inbox = await createInbox({ file: join(stateDir, 'inbox.json'), follow: true })
const effect = { kind: 'call', server: 'a', tool: 'wipe', arguments: { path: '/x' }, trusted: false } as const
const body =
  kind === 'form'
    ? ({ kind: 'form', message: 'Your name?', schema: { type: 'object', properties: {} } } as const)
    : ({ kind: 'approval', effect, reason: 'r', warnings: [] } as const)
const answer = inbox.ask({ server: 'a', session: 's', body })
console.log(JSON.stringify({ waiting: true }))
// Keeps the process while it waits.
const stay = setInterval(() => {}, 60_000)
console.log(JSON.stringify({ answer: await answer, left: inbox.pending().length }))
clearInterval(stay)
await inbox.close()
