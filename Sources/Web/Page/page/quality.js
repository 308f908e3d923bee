/** How good somebody's connection is: 0 to 5 with a word, or null if it wasn't measured. */
export function quality(score) {
  if (typeof score !== "number") return null;
  const level = Math.max(0, Math.min(5, Math.round(score)));
  return { level, word: ["lost", "very poor", "poor", "fair", "good", "very good"][level] };
}
