/** Copies a call as a program, as a command line, or as JSON. */

import { Button, Menu } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { CodeIcon } from '@radix-ui/react-icons'
import { useServers } from '../app/data/server-store.ts'
import { showDone } from '../app/data/use-api.ts'
import { toJson } from '../parts/json.ts'
import { type Snippet, toShell, toTypeScript } from './code-snippets.ts'

export function CopyMenu(snippet: Omit<Snippet, 'target'>) {
  const clipboard = useClipboard()
  const { servers = [] } = useServers()
  const target = servers.find(({ name }) => name === snippet.server)?.config.target
  const copy = (what: string, text: string) => {
    clipboard.copy(text)
    showDone(`Copied as ${what}`)
  }
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button variant="default" leftSection={<CodeIcon />}>
          Copy as
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => copy('TypeScript', toTypeScript({ ...snippet, target }))}>
          TypeScript with @portico/sdk
        </Menu.Item>
        <Menu.Item onClick={() => copy('a command', toShell(snippet))}>
          Command line: portico {snippet.kind === 'resource' ? 'read' : snippet.kind === 'tool' ? 'call' : 'prompt'} …
        </Menu.Item>
        <Menu.Item onClick={() => copy('JSON', toJson(snippet.arguments))}>Arguments as JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
