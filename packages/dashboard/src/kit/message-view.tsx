/**
 * Message whose parser is loaded when it is first shown. Without a network the text is shown as
 * written, so that what surrounds it remains usable.
 */
import { type ComponentType, useEffect, useState } from 'react'
import classes from './message-editor.module.css'

type MessageComponent = ComponentType<{ text: string }>

let loaded: MessageComponent | null = null

export const MessageView = ({ text }: { text: string }) => {
  const [Message, setMessage] = useState<MessageComponent | null>(() => loaded)
  useEffect(() => {
    if (Message !== null) return
    const show = (module: typeof import('./message.tsx')) => {
      loaded = module.Message
      setMessage(() => module.Message)
    }
    // The next change of the text loads it again.
    import('./message.tsx').then(show, () => undefined)
  }, [Message, text])
  return Message === null ? <p className={classes.source}>{text}</p> : <Message text={text} />
}
