// Teaches: state that processes share. A guarded write, a lease with its epoch, and a message that wakes whoever listens.
import { openState } from '@portico/host/state'

// Every process that opens the same file has the same state; `{ postgres: url }` and `{ redis: url }` serve several machines.
const { store, bus, status, close } = await openState({ sqlite: process.argv[2] ?? 'state.db' })

/** Raises a number, whoever else does so at the same time: a write on an old version is refused, and tried again. */
async function raise(key: string): Promise<number> {
  for (;;) {
    const kept = await store.get(key)
    const next = Number(kept?.value ?? 0) + 1
    if (await store.write([{ key, value: `${next}`, ifVersion: kept?.version ?? 0 }])) return next
  }
}

const heard = new Promise<string | undefined>((resolve) => void bus.subscribe('visits', resolve))
const [first, second] = await Promise.all([raise('visits'), raise('visits')])
console.log(`visits: ${first}, ${second}`)

// One process at a time does the night's work. If it dies, the lease runs out and the next holder has a greater epoch.
const lease = await store.lease('nightly', `process-${process.pid}`, 30_000)
if (lease === undefined) console.log('another process is at it')
else {
  console.log(`at work, asked again: ${await store.lease('nightly', 'somebody-else', 30_000)}`)
  await store.release('nightly', lease)
}

// A message says where to look; what is true is in the store.
await bus.publish('visits', 'raised')
const alive = setInterval(() => {}, 1000) // listening alone keeps no process alive
console.log(`heard: ${await heard}, so there are ${(await store.get('visits'))?.value}`)
clearInterval(alive)
console.log(`available: ${(await status()).available}`)
await close()
