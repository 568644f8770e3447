import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type ProtocolVersion } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, startCli } from './cli.ts'

const definition = (answer: string, more = ''): string => `
import { createServer, tool } from '@portico/sdk/server'
import { shared } from './shared.ts'
export default createServer({ name: 'edited', version: '1', tools: {
  say: tool({ description: 'Says it' }, () => ${JSON.stringify(answer)} + shared),${more}
} })
`

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.close())

describe('portico dev', () => {
  it.each<ProtocolVersion>(['2025-06-18', '2026-07-28'])(
    'has an edited tool ready for the next call of a connected client of %s, tells it, and survives a broken edit',
    async (versions) => {
      const file = join(folder.path, 'server.ts')
      await writeFile(file, definition('one'))
      await writeFile(join(folder.path, 'shared.ts'), "export const shared = '!'\n")
      const running = startCli(['dev', 'server.ts', '--http', '0'], { cwd: folder.path, env: folder.env })
      const [url] = await running.until('stdout', /http:\S+/)
      const client = await connect(url, { versions })
      let losses = 0
      client.on('disconnect', () => losses++)
      const told = new Promise<void>((resolve) => {
        client.on('change', ({ kind }) => kind === 'tools' && resolve())
      })
      expect(await client.callTool('say')).toMatchObject({ content: [{ text: 'one!' }] })

      await writeFile(file, definition('two', " more: tool({}, () => 'more'),"))
      await running.until('stderr', /reloaded server\.ts: tool more added/)
      await told
      expect(await client.callTool('say')).toMatchObject({ content: [{ text: 'two!' }] })
      expect((await client.listTools()).map(({ name }) => name)).toEqual(['say', 'more'])

      await writeFile(file, 'export default createServer({')
      await running.until('stderr', /not reloaded: server\.ts cannot be loaded: .*line 1.*The last version stays/)
      expect(await client.callTool('say')).toMatchObject({ content: [{ text: 'two!' }] })

      await writeFile(join(folder.path, 'shared.ts'), "export const shared = '?'\n")
      await writeFile(file, definition('three'))
      await running.until('stderr', /tool more removed/)
      expect(await client.callTool('say')).toMatchObject({ content: [{ text: 'three?' }] })
      expect(losses).toBe(0)
      await client.close()
      running.interrupt()
      expect(await running.ended).toMatchObject({ code: 0 })
    },
  )

  it('opens the workbench beside it where asked to', async () => {
    await writeFile(join(folder.path, 'shown.ts'), definition('one'))
    await writeFile(join(folder.path, 'shared.ts'), "export const shared = '!'\n")
    const words = ['dev', 'shown.ts', '--http', '0', '--workbench']
    const running = startCli(words, { cwd: folder.path, env: folder.env })
    const [, link = ''] = await running.until('stderr', /Workbench: (http\S+)/)
    // Without a link that was opened, there is nothing for anybody; the page itself may not be built here.
    expect([401, 403, 404, 503]).toContain((await fetch(new URL(link).origin)).status)
    running.interrupt()
    const { code, stderr } = await running.ended
    expect(code, stderr).toBe(0)
  })
})
