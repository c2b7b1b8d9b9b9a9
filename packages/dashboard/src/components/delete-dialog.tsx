/** Confirmation of the deletion of components, with its consequences. */
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './components.module.css'
import { descendantsOf, type TreeNode } from './tree.ts'

/** Names that the dialog lists; the number of all is in its title. */
const MAX_NAMES = 5

interface DeleteDialogProps {
  nodes: readonly TreeNode[]
  onClose(): void
  onDelete(): void
}

export const DeleteDialog = ({ nodes, onClose, onDelete }: DeleteDialogProps) => {
  const { remove: texts } = useTexts().componentScreens
  const { plural } = useFormats()
  const below = nodes.flatMap(descendantsOf).length
  return (
    <Dialog title={plural(texts.title, nodes.length)} isOpen onClose={onClose}>
      <ul className={classes.dialogNames}>
        {nodes.slice(0, MAX_NAMES).map(({ id, component }) => (
          <li key={id}>
            <bdi>{component.name}</bdi>
          </li>
        ))}
        {nodes.length > MAX_NAMES && <li>…</li>}
      </ul>
      {below > 0 && <p>{plural(texts.subcomponents, below)}</p>}
      <p>{texts.consequence}</p>
      <div className={classes.dialogActions}>
        <Button onPress={onClose}>{texts.cancel}</Button>
        <Button emphasis="danger" onPress={onDelete}>
          {plural(texts.confirm, nodes.length + below)}
        </Button>
      </div>
    </Dialog>
  )
}
