/** Store and bus in one Redis or Valkey. */

import { checkBus, checkStore } from '../checked-store.ts'
import { type OpenedState, probe } from '../opened-state.ts'
import { type Carrier, type Hearing, RemoteBus } from '../remote-bus.ts'
import { endQuietly, RedisDatabase, type RedisPlace } from './redis-database.ts'
import type { RedisLibrary } from './redis-library.ts'
import { RedisStore } from './redis-store.ts'

export function openRedisState(library: RedisLibrary, where: RedisPlace): OpenedState {
  const redis = new RedisDatabase(library, where)
  const { place } = redis
  const store = checkStore(new RedisStore(redis))
  const bus = checkBus(new RemoteBus(redisCarrier(redis)))
  return {
    store,
    bus,
    status: () => probe({ kind: 'redis', place }, () => redis.send('PING')),
    async close() {
      await Promise.all([store.close(), bus.close()])
      redis.close()
    },
  }
}

/** Messages by PUBLISH, with a channel for each topic. */
function redisCarrier(redis: RedisDatabase): Carrier {
  const channels = `${redis.tag}bus:`
  return {
    async publish(topic, text) {
      await redis.send('PUBLISH', `${channels}${topic}`, text)
    },
    failure: (cause) => redis.failure(cause),
    async connect(heard, lost): Promise<Hearing> {
      const connection = await redis.connect(lost)
      const hear = (text: string, channel: string) => heard(channel.slice(channels.length), text)
      return {
        listen: async (topics) =>
          void (await connection.subscribe(
            topics.map((topic) => channels + topic),
            hear,
          )),
        ignore: (topic) => void connection.unsubscribe([`${channels}${topic}`]).catch(() => {}),
        ping: () => connection.ping(),
        end: () => endQuietly(connection),
      }
    },
  }
}
