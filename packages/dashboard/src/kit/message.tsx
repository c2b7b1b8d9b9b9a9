/** Message of an incident as the public page shows it. It loads the parser of messages. */
import { useMemo } from 'react'
import classes from './message.module.css'
import { messageNodes } from './message-nodes.ts'

export const Message = ({ text }: { text: string }) => {
  const nodes = useMemo(() => messageNodes(text), [text])
  return <div className={classes.message}>{nodes}</div>
}
