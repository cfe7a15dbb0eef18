/**
 * Passwords that attackers try first: well-known words, keyboard runs and number rows. Pages know these; the server has
 * an additional, longer list (`server/accounts/common-passwords.ts`).
 */

/** Returns whether the password, given in lower case, is a common one. */
export function isCommonPassword(lowerCase: string): boolean {
  return commonPasswords.has(lowerCase);
}

const commonPasswords = new Set(
  `
  123456 1234567 12345678 123456789 1234567890 0123456789 01234567 987654321 9876543210 87654321 11111111 111111111
  1111111111 00000000 000000000 0000000000 22222222 33333333 44444444 55555555 66666666 77777777 88888888 888888888
  99999999 12121212 12341234 123123123 123123123123 123321123 12344321 123454321 11223344 1122334455 112233445566
  10203040 13131313 14141414 147258369 159357159 159753456 123654789 147852369 741852963 789456123 963852741
  31415926 314159265 20002000 20202020 19901990 20012001 55667788 69696969 password passwort password0 password1
  password12 password123 password1234 password12345 password123456 password2 password01 password! password1!
  password123! password@123 password@1 passw0rd passw0rd1 passw0rd! passw0rd123 p@ssword p@ssword1 p@ssw0rd
  p@ssw0rd1 p@ssw0rd123 p@$$word p@$$w0rd pa$$word pa$$w0rd pa55word pa55w0rd passpass passpass1 password99
  passwords mypassword mypassword1 mypass123 yourpassword newpassword newpassword1 oldpassword thepassword
  nopassword password7 password11 password22 password2020 password2021 password2022 password2023 password2024
  password2025 password2026 passphrase passcode passcode1 drowssap passwort1 passwort123 motdepasse contrasena
  contrasena1 contraseña senha123 senha1234 parola123 haslo123 wachtwoord wachtwoord1 kennwort kennwort1 salasana
  lozinka1 qwertyui qwertyuio qwertyuiop qwertyuiop1 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwerty1!
  qwerty123! qwerty11 qwertyqwerty qwertz123 qwertzui qwertzuiop azertyuiop azerty123 azertyui asdfghjk asdfghjkl
  asdfghjkl1 asdfasdf asdf1234 asdfqwer asdfjkl; asdqwe123 zxcvbnm1 zxcvbnm123 zxcvbnm, zxcvbnma zxcv1234 zaq12wsx
  zaq1zaq1 zaq1xsw2 xsw23edc 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4 q1w2e3r4t5
  q1w2e3r4t5y6 qazwsxedc qazwsx123 qweasdzxc qweasd123 qwe123qwe qwer1234 qwer4321 qwerasdf qwe12345 wasdwasd
  123qweasd 123qweasdzxc 123qwe123 12qwaszx 12345qwert 12345qwer 1234qwer 1234asdf 123456qwerty 123456qw 1a2b3c4d
  1a2s3d4f a1b2c3d4 a1b2c3d4e5 aa123456 aaa111222 abc12345 abc123456 abc123abc abcd1234 abcd12345 abcd123456
  abcdefg1 abcdefgh abcdefghi abcdefghij abcdef123 abcde12345 abcabcabc a1234567 a12345678 a123456789 aaaaaaaa
  aaaaaaaaa aaaaaaaaaa bbbbbbbb xxxxxxxx zzzzzzzz 1234567a 12345678a 123456789a 123456789q 12345678910 123456abc
  123456aa 1234abcd 123abc123 12345abc 12345abcde q1234567 q12345678 q123456789 z1234567 admin123 admin1234
  admin12345 admin123456 admin@123 admin123! adminadmin administrator administrator1 superadmin superuser rootroot
  root1234 toor1234 rootpassword changeme changeme1 changeme123 changeme! changeit changethis default1 default123
  defaultpassword letmein1 letmein12 letmein123 letmein! letmeinnow letmein2 welcome1 welcome12 welcome123 welcome1!
  welcome2 welcome01 welcome@123 welcome2023 welcome2024 welcome2025 welcome2026 welcome! trustno1 trustno1!
  whatever whatever1 iloveyou iloveyou1 iloveyou12 iloveyou123 iloveyou2 iloveyou! iloveu123 ilovegod ilovejesus
  ilovemom1 ilovehim lovelove loveme123 lovely123 loveyou1 testtest test1234 test12345 test123456 testing1
  testing123 test123! testpass testpassword tester123 temp1234 temppass temporary temporary1 guest123 guest1234
  guestguest user1234 user12345 username username1 demo1234 demodemo sample123 example1 example123 secret12
  secret123 secret1234 topsecret mysecret secretpassword login123 login1234 loginlogin access14 access123 master12
  master123 master1234 masterkey computer computer1 computer123 internet internet1 internet123 windows1 windows10
  windows123 microsoft microsoft1 google123 facebook facebook1 facebook123 linkedin instagram youtube1 yahoo123
  samsung1 samsung123 android1 iphone123 apple123 nothing1 nothing123 anything something something1 everything
  forever1 freedom1 freedom123 hello123 hello1234 hello12345 hellohello helloworld helloworld1 hello123! monkey12
  monkey123 monkey1234 dragon12 dragon123 dragonball shadow12 shadow123 sunshine sunshine1 sunshine12 sunshine123
  princess princess1 princess12 princess123 football football1 football12 football123 baseball baseball1 baseball12
  baseball123 basketball basketball1 softball softball1 volleyball swimming superman superman1 superman123 batman123
  spiderman spiderman1 starwars starwars1 pokemon1 pokemon123 minecraft minecraft1 fortnite nintendo playstation
  counterstrike naruto123 michael1 michelle michelle1 jennifer jennifer1 jessica1 jordan23 jordan123 charlie1
  charlie123 ashley123 daniel123 matthew1 anthony1 alexander alexander1 alexandra elizabeth elizabeth1 stephanie
  nicole123 victoria victoria1 jonathan christopher christian christian1 patricia samantha samantha1 benjamin
  benjamin1 thomas123 robert123 william1 maverick maverick1 mercedes mercedes1 corvette ferrari1 chelsea1 chelsea123
  liverpool liverpool1 arsenal1 arsenal123 barcelona barcelona1 realmadrid manchester juventus steelers steelers1
  cowboys1 yankees1 lakers24 eagles123 rangers1 cheese123 chocolate chocolate1 cookie123 butterfly butterfly1
  blink182 metallica slipknot nirvana1 beatles1 rockstar rockstar1 babygirl babygirl1 babyblue sweetheart sweetie1
  beautiful beautiful1 gorgeous handsome1 blessed1 jesus123 jesuschrist trinity1 heaven123 angel123 angels123
  flower123 summer12 summer123 summer2023 summer2024 summer2025 summer2026 winter123 winter2023 winter2024
  winter2025 spring2024 spring2025 autumn2024 autumn2025 september december november october1 january1 february
  monday123 friday123 saturday sunday123 birthday birthday1 mustang1 harley123 diamond1 diamonds silver123 golden123
  purple123 orange123 yellow123 midnight midnight1 moonlight thunder1 lightning hurricane tornado1 mountain
  crocodile elephant dolphin1 dolphins tigger12 tigger123 pussycat snoopy123 garfield scooby123 hannah123 maggie123
  buster123 ginger123 pepper123 peanut123 bailey123 cooper123 killer123 hunter12 hunter123 soccer12 soccer123
  hockey123 tennis123 gaming123 gamer123 player123 winner123 champion champion1 number1! passion1 matrix123 phoenix1
  scorpion scorpion1 swordfish swordfish1 open1234 opensesame sesame123 zerocool hacker123 hackers1 security
  security1 security123 password. pass1234 pass12345 pass123456 correcthorse correcthorsebatterystaple letmeinplease
  iamthebest qwerty789 asd12345 asd123456 asdasdasd qweqweqwe zxczxczxc 1234512345 7654321a 999999999 123456780
`
    .trim()
    .split(/\s+/),
);
