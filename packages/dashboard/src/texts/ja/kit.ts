/** Japanese texts of controls of the kit. */
import type { kit as model } from '../en/kit.ts'

export const kit: typeof model = {
  editor: {
    preview: 'プレビュー',
    marks: {
      bold: '太字',
      italic: '斜体',
      code: 'コード',
      others: 'リスト、引用、リンク',
    },
  },
  copy: {
    copy: 'コピー',
    copied: 'コピーしました',
    failed: 'コピーできませんでした。テキストを選択してコピーしてください。',
  },
  dialogs: { cancel: 'キャンセル' },
  choices: {
    search: '選択肢を検索',
    none: '該当する選択肢はありません',
    more: 'ほかにも選択肢があります。検索してください。',
  },
  joins: {
    labelled: '{label}: {value}',
    separator: '、',
    arrow: '→',
  },
}
