/** Views of the composer, loaded together, so that the notices about an incident that the dialog publishes work without a network. */
import { ComposerDialog, type ComposerDialogProps } from './composer-dialog.tsx'
import { PublishNotices } from './publish-notices.tsx'

export const ComposerViews = (props: ComposerDialogProps) => (
  <>
    <PublishNotices composer={props.composer} />
    <ComposerDialog {...props} />
  </>
)
