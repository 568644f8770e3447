/** A new host with so many live servers and dead ones: how long until a live one has answered a call past the guard. */

import { SUM } from '../clients/target.ts'
import { announceTimed } from '../control.ts'
import { createLineUp, timeHost } from './line-up.ts'

const lineUp = await createLineUp()

announceTimed(() =>
  timeHost(lineUp, {}, async (host) => {
    await host.call(`${lineUp.last}_${SUM.name}`, SUM.arguments)
  }),
)
