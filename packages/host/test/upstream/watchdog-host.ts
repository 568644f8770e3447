/** A host for the watchdog's test: starts one server, says the numbers of its processes, and stays or closes. */

import { createUpstreams } from '../../src/upstream/upstreams.ts'
import { program } from './fixture.ts'

const closes = process.argv[2] === 'close'
const upstreams = createUpstreams()
await upstreams.set([program('s', closes ? 'echo' : 'stubborn')])
const { content } = await (await upstreams.client('s')).callTool('pids')
process.stdout.write(`${JSON.stringify(content[0])}\n`)
// After this nothing is left that would keep the process alive.
if (closes) await upstreams.close()
