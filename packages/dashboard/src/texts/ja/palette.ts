/** Japanese texts of the command palette and the shortcuts. */
import type { palette as model } from '../en/palette.ts'

export const palette: typeof model = {
  title: '検索と操作',
  search: '検索または操作を選択',
  results: '結果',
  empty: '見つかりません',
  actions: '操作',
  views: '画面',
  incidents: 'インシデント',
  components: 'コンポーネント',
  pages: 'ステータスページ',
  shortcuts: 'キーボードショートカット',
  paletteKeys: 'Ctrl+K',
  singleKeys: '1つのキーのショートカット',
  singleKeysHint: '入力欄に入力している間は動作しません。',
}
