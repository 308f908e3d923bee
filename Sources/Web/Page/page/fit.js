/** A tile is never wider than a cinema picture and never narrower than this on a wide or a tall floor. */
const WIDEST = 16 / 9;
const NARROWEST_WIDE = 4 / 3;
const NARROWEST_TALL = 3 / 4;

/**
 * The largest equal tiles with which n of them fill a floor.
 * @param {number} count tiles, at least 1
 * @param {number} width of the floor, CSS pixels
 * @param {number} height of the floor, CSS pixels
 * @param {number} gap between tiles
 * @returns {{columns: number, width: number, height: number}} of one tile, whole pixels
 */
export function fitTiles(count, width, height, gap) {
  const narrowest = height > width ? NARROWEST_TALL : NARROWEST_WIDE;
  let best = { columns: 1, width: 0, height: 0 };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const cellWidth = (width - gap * (columns - 1)) / columns;
    const cellHeight = (height - gap * (rows - 1)) / rows;
    const tileWidth = Math.floor(Math.min(cellWidth, cellHeight * WIDEST));
    const tileHeight = Math.floor(Math.min(cellHeight, tileWidth / narrowest));
    if (tileWidth * tileHeight > best.width * best.height) {
      best = { columns, width: tileWidth, height: tileHeight };
    }
  }
  return best;
}

/**
 * Who gets a tile: oneself, then those on a seat, then the others in join order, as many as fit.
 * @param {object[]} participants in join order
 * @param {string} ownId
 * @param {(participantId: string) => boolean} isSeated
 * @param {number} most tiles at most; the last one says how many more there are
 * @returns {{shown: object[], more: number}}
 */
export function chooseTiles(participants, ownId, isSeated, most) {
  const own = participants.filter((one) => one.participantId === ownId);
  const others = participants.filter((one) => one.participantId !== ownId);
  const seated = others.filter((one) => isSeated(one.participantId));
  const unseated = others.filter((one) => !isSeated(one.participantId));
  const all = [...own, ...seated, ...unseated];
  if (all.length <= most) return { shown: all, more: 0 };
  const shown = all.slice(0, most - 1);
  return { shown, more: all.length - shown.length };
}
