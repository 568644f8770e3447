/** A new host with so many live servers and dead ones: how long until the tools of all live ones are on offer. */

import { announceTimed } from '../control.ts'
import { createLineUp, timeHost } from './line-up.ts'

const lineUp = await createLineUp()

announceTimed(() =>
  timeHost(
    lineUp,
    {},
    ({ catalogue }) =>
      new Promise((resolve) => {
        const look = (): void => {
          const servers = new Set(catalogue.items(['tool']).map(({ server }) => server))
          if (servers.size < lineUp.live) return
          stop()
          resolve()
        }
        const stop = catalogue.onChange(look)
        look()
      }),
  ),
)
