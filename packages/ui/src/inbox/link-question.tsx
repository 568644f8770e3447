/**
 * A server wants a page opened. The whole address is text, its host is what stands out, and nothing is fetched before
 * the button is pressed; then it opens in a tab of its own that cannot see this one (sec-103, sec-104, sec-106).
 */

import { Button, Stack, Text } from '@mantine/core'
import { ExternalLinkIcon } from '@radix-ui/react-icons'
import { toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import { isOpenable } from '../parts/address/address.ts'
import { AddressView } from '../parts/address/address-view.tsx'
import { WarningList } from '../servers/command-text.tsx'
import { NotShownNote } from './answer-foot.tsx'
import classes from './inbox.module.css'
import { Prose } from './prose.tsx'
import type { BodyProps } from './question-body.ts'

export function LinkQuestion({ question, body: { message, url, host, warnings }, answer }: BodyProps<'url'>) {
  const openable = isOpenable(url)
  return (
    <Stack gap="md">
      <WarningList warnings={warnings} />
      <Prose text={message} />
      <AddressView url={url} host={host} />
      {!openable && (
        <Note tone="bad" title="This is no web address">
          It could start another program, so it is not opened from here.
        </Note>
      )}
      <NotShownNote />
      <div className={classes.foot}>
        <Text size="xs" c="dimmed">
          Never type a password there that belongs to another site. Asked by{' '}
          <strong>{toVisible(question.server)}</strong>.
        </Text>
        <div className={classes.buttons}>
          <Button variant="subtle" color="gray" onClick={() => void answer({ action: 'cancel' })}>
            Cancel
          </Button>
          <Button variant="default" onClick={() => void answer({ action: 'deny' })}>
            Deny
          </Button>
          {openable && (
            <Button
              component="a"
              href={url}
              target="_blank"
              rel="noreferrer noopener"
              color={warnings.length > 0 ? 'yellow' : undefined}
              rightSection={<ExternalLinkIcon />}
              // The click is the consent: the browser opens it, and the server learns that it was given.
              onClick={() => void answer({ action: 'allow' })}
            >
              Open {toVisible(host)}
            </Button>
          )}
        </div>
      </div>
    </Stack>
  )
}
