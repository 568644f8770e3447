/** Servers as some documentation or another program writes them, pasted whole. */

import { Button, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { WayProps } from './add-by-form.tsx'
import { previewText } from './entry-preview.ts'
import classes from './servers.module.css'

const EXAMPLE = `{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "server-files@1.2.0", "/home/me"]
    }
  }
}`

export function AddByPaste({ onProposal }: WayProps) {
  const [text, setText] = useState('')
  const look = () => onProposal({ previews: previewText(text), text, send: (call) => call('servers.add', { text }) })
  return (
    <Stack gap="md">
      <Textarea
        label="Configuration"
        description="JSON, TOML or YAML as any program writes it, a command line, or a link to install"
        placeholder={EXAMPLE}
        autosize
        minRows={9}
        maxRows={20}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <div className={classes.dialogFoot}>
        <Button disabled={text.trim() === ''} onClick={look}>
          Look at the commands
        </Button>
      </div>
    </Stack>
  )
}
