/** List of the keyboard shortcuts, and the switch of those with a single key. */
import { useComposer } from '../composer/composer-context.ts'
import { Checkbox } from '../kit/checkbox.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { setSingleKeys, useSingleKeys } from '../kit/shortcuts.ts'
import { useTexts } from '../texts/texts.tsx'
import classes from './palette.module.css'

interface ShortcutsDialogProps {
  isOpen: boolean
  onClose(): void
}

export const ShortcutsDialog = ({ isOpen, onClose }: ShortcutsDialogProps) => {
  const { palette: texts, composer } = useTexts()
  return (
    <Dialog title={texts.shortcuts} isOpen={isOpen} onClose={onClose} closeLabel={composer.close}>
      <Shortcuts />
    </Dialog>
  )
}

const Shortcuts = () => {
  const { palette: texts, composer: composerTexts } = useTexts()
  const isOn = useSingleKeys()
  const canCompose = useComposer() !== null
  const shortcuts = [
    ...(canCompose ? [['C', composerTexts.newIncident]] : []),
    ...(canCompose ? [[composerTexts.publishKeys, composerTexts.publish]] : []),
    [texts.paletteKeys, texts.title],
    ['?', texts.shortcuts],
  ]
  return (
    <>
      <dl className={classes.shortcuts}>
        {shortcuts.map(([keys, text]) => (
          <Shortcut key={keys} keys={keys ?? ''} text={text ?? ''} />
        ))}
      </dl>
      <Checkbox
        label={texts.singleKeys}
        hint={texts.singleKeysHint}
        isSelected={isOn}
        onChange={setSingleKeys}
      />
    </>
  )
}

const Shortcut = ({ keys, text }: { keys: string; text: string }) => (
  <>
    <dt>
      <kbd>{keys}</kbd>
    </dt>
    <dd>{text}</dd>
  </>
)
