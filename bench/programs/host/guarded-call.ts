/** What a call costs a host that has its guard, its rules and its audit log, against the bare server. */

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost } from '@portico/host'
import { defineServer } from '@portico/host/config'
import { SUM, startHttp } from '../clients/target.ts'
import { announceCaller } from '../control.ts'

const servers = [defineServer('bare', { kind: 'http', url: await startHttp(), headers: {} })]
const stateDir = await mkdtemp(join(tmpdir(), 'portico-bench-'))
const host = await createHost({ stateDir, rules: [{ id: 'all', outcome: 'allow' }], servers, env: {} })
await host.catalogue.gather()
const name = host.catalogue.items(['tool']).find(({ ownName }) => ownName === SUM.name)?.name ?? SUM.name
announceCaller(() => host.call(name, SUM.arguments))
