/** Button that copies a text to the clipboard. */
import { useMutation } from '@tanstack/react-query'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { useTexts } from '../texts/texts.tsx'

export const CopyButton = ({ text }: { text: string }) => {
  const { actions } = useTexts()
  // Browsers offer no clipboard to a page that was loaded without TLS.
  const copy = useMutation({ mutationFn: async () => navigator.clipboard.writeText(text) })
  return (
    <>
      <Button onPress={() => copy.mutate()}>
        {copy.isSuccess ? actions.copied : actions.copy}
      </Button>
      {copy.isError && (
        <Note state="down" role="alert">
          {actions.notCopied}
        </Note>
      )}
    </>
  )
}
