/** New connections to so many live servers and dead ones: how long until a live one has answered a call. */

import { createCatalogue, createUpstreams } from '@portico/host/upstream'
import { SUM } from '../clients/target.ts'
import { announceTimed } from '../control.ts'
import { createLineUp } from './line-up.ts'

const { configs, last } = await createLineUp()

announceTimed(async () => {
  const start = performance.now()
  const upstreams = createUpstreams()
  const catalogue = createCatalogue(upstreams)
  void upstreams.set(configs)
  const client = await upstreams.client(last)
  await client.callTool(SUM.name, SUM.arguments)
  const took = performance.now() - start
  await catalogue.close()
  await upstreams.close()
  return took
})
