/** Whether the audit log is as it was written: each record carries the hash of the one before. */

import { Button } from '@mantine/core'
import type { ApiResult } from 'portico/web-api'
import { useState } from 'react'
import { toCount, toVisible } from '../app/text.ts'
import { Note } from '../app/tone.tsx'
import { useAction } from '../app/use-api.ts'
import classes from './policy.module.css'

export function Verify() {
  const { run, busy } = useAction('audit.verify')
  const [verdict, setVerdict] = useState<ApiResult<'audit.verify'>>()
  const button = (
    <Button
      size="compact-sm"
      variant={verdict === undefined ? 'filled' : 'default'}
      loading={busy}
      onClick={() => void run({}).then((result) => result !== undefined && setVerdict(result))}
    >
      {verdict === undefined ? 'Verify the log' : 'Verify again'}
    </Button>
  )
  if (verdict === undefined) {
    return (
      <Note tone="calm" title="Each record is tied to the one before it" actions={button}>
        Verifying reads them all and tells whether any was altered, removed or put in.
      </Note>
    )
  }
  if (verdict.ok) {
    return (
      <Note tone="good" role="status" title={`${toCount(verdict.records, 'record')}, none altered`} actions={button}>
        Every record is tied to the one before it without a gap.
      </Note>
    )
  }
  return (
    <Note tone="bad" role="alert" title="The log is not as it was written" actions={button}>
      <ul className={classes.plain}>
        {verdict.problems.map((problem) => (
          <li key={problem}>{toVisible(problem)}</li>
        ))}
      </ul>
    </Note>
  )
}
