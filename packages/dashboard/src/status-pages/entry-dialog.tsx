/** Dialog for one component of the page: its name, group and parts there. */
import classes from '../components/components.module.css'
import { Button } from '../kit/button.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { PageEntry } from './page-draft.ts'

interface EntryDialogProps {
  entry: PageEntry
  name: string
  onChange(entry: PageEntry): void
  onClose(): void
}

/** No form of its own: it is part of the form of the designer, and each change applies at once. */
export const EntryDialog = ({ entry, name, onChange, onClose }: EntryDialogProps) => {
  const { choice: texts } = useTexts().statusPages
  const set = (patch: Partial<PageEntry>) => onChange({ ...entry, ...patch })
  return (
    <Dialog title={name} isOpen onClose={onClose}>
      <div className={classes.list}>
        <TextField
          label={texts.displayName}
          hint={texts.displayNameHint}
          value={entry.displayName ?? ''}
          onChange={(text) => set({ displayName: text === '' ? null : text })}
          maxLength={100}
        />
        <TextField
          label={texts.groupName}
          hint={texts.groupNameHint}
          value={entry.groupName ?? ''}
          onChange={(text) => set({ groupName: text === '' ? null : text })}
          maxLength={100}
        />
        <div>
          <Checkbox
            label={texts.showUptime}
            isSelected={entry.showUptime}
            onChange={(showUptime) => set({ showUptime })}
          />
          <Checkbox
            label={texts.showChildren}
            isSelected={entry.showChildren}
            onChange={(showChildren) => set({ showChildren })}
          />
        </div>
        <div className={classes.dialogActions}>
          <Button emphasis="primary" onPress={onClose}>
            {texts.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
