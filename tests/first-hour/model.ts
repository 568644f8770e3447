/** A model for a reader who would have one: scripted, on loopback, and named in the configuration as any other. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startScriptedProvider } from '@portico/host/model'

export async function configureModel(folder: string): Promise<{ close(): Promise<void> }> {
  const provider = await startScriptedProvider({
    replies: [
      { calls: [{ name: 'weather_to_fahrenheit', arguments: { celsius: 21 } }] },
      { text: 'It is 69.8 °F, says the tool.' },
    ],
  })
  const file = join(folder, 'portico.json')
  const config = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const models = { scripted: { provider: 'openai-compatible', model: 'scripted', baseUrl: provider.url } }
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, JSON.stringify({ ...config, models }))
  return provider
}
