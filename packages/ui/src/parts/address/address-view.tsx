/** A whole address as text, its host standing out, before anybody opens it (sec-103, sec-106). */

import { toVisible } from '../../app/text/text.ts'
import { splitAddress } from './address.ts'
import classes from './address-view.module.css'

export function AddressView({ url, host }: { readonly url: string; readonly host: string }) {
  const { before, host: marked, after } = splitAddress(url, host)
  return (
    <div className={classes.address}>
      <div className={classes.host}>{toVisible(host)}</div>
      <div className={classes.whole}>
        {toVisible(before)}
        <mark>{toVisible(marked)}</mark>
        {toVisible(after)}
      </div>
    </div>
  )
}
