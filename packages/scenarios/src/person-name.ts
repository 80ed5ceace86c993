/**
 * Names for people in a scenario, so that a viewer can tell them apart: "Mira Okafor" is easy to find again in a crowd, 5113857
 * is not.
 *
 * The n-th name is the same in every run. There are 4,096 pairs of given and family names; beyond them a number is added.
 */

const GIVEN =
  'Ada Amir Anouk Bao Bea Ben Carla Chidi Dana Dario Ece Elif Emil Esra Eva Farid Finn Gael Gita Hana Hugo Ines Iris Ivo ' +
  'Jana Jin Joao Juno Kai Kira Lars Lea Lin Lou Luca Maia Malik Mara Mei Milo Mina Mira Nadia Nia Nils Noor Olga Omar ' +
  'Otto Pia Priya Rafa Ravi Rosa Sana Sami Selma Tara Theo Uma Vera Yara Yuki Zoe';
const FAMILY =
  'Abe Adeyemi Ahmed Alves Arslan Baker Bauer Berg Bianchi Bose Castro Chen Cohen Costa Diallo Dubois Dvorak Eriksen Evans ' +
  'Farah Ferro Fischer Fuchs Garcia Gomez Haas Hassan Hoang Holm Ibarra Ito Jansen Kaya Keller Khan Kim Klein Kovacs Kumar ' +
  'Larsen Leclerc Lopez Mbeki Meyer Mori Nagy Novak Okafor Olsen Ortiz Park Petrov Popa Quinn Rao Rossi Sato Silva Singh ' +
  'Tanaka Vogel Wang Weber Zhou';
const given = GIVEN.split(' ');
const family = FAMILY.split(' ');

/** `n`: from 0. Consecutive numbers share neither name. */
export function personName(n: number): string {
  const pairs = given.length * family.length;
  const pair = n % pairs;
  const first = pair % given.length;
  // Each round through the given names starts from another family name.
  const last = (pair * 7 + Math.floor(pair / given.length)) % family.length;
  const round = Math.floor(n / pairs);
  return `${given[first]} ${family[last]}${round === 0 ? '' : ` ${round + 1}`}`;
}
